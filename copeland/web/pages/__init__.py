"""The pages: what voters, admins and the public see."""
